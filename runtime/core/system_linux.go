package core

const (
	dupinstEDQUOT  = 122
	dupinstSIGUSR1 = 10
	dupinstSIGUSR2 = 12
)
