module interp

go 1.24
