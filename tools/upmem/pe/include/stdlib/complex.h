/* SPDX-License-Identifier: MIT */
/* Complex numbers. Products and quotients are the compiler's, with the PE library. */
#ifndef COMPLEX_H
#define COMPLEX_H

#define complex		_Complex
#define _Complex_I	(__extension__ 1.0iF)
#define I		_Complex_I
#define CMPLX(x, y)	__builtin_complex((double)(x), (double)(y))
#define CMPLXF(x, y)	__builtin_complex((float)(x), (float)(y))

double creal(double complex z);
float crealf(float complex z);
double cimag(double complex z);
float cimagf(float complex z);
double complex conj(double complex z);
float complex conjf(float complex z);
double cabs(double complex z);
float cabsf(float complex z);
double carg(double complex z);
float cargf(float complex z);

#endif /* COMPLEX_H */
