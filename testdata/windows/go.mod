module example.com/ends

go 1.24
