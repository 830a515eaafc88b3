// Programs of Go take their random numbers from a library that Wine 8 does not have.
// There it is made of another.
#include <windows.h>

BOOLEAN NTAPI SystemFunction036(PVOID, ULONG);

__declspec(dllexport) BOOL ProcessPrng(PBYTE p, SIZE_T n) { return SystemFunction036(p, n); }
