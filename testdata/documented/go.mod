module example.com/documented

go 1.25
