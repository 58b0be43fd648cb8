! What became of a loop stands under its line, wherever the file lies and however it is named.
! RUN: rm -rf %t && mkdir -p %t/sub && cp %s %t/sub/heat.f90 && cd %t
! RUN: %hexflang --explain -O2 sub/heat.f90 | FileCheck %s --check-prefixes=FILE,TAKEN -DNAME=sub/heat.f90
! RUN: %hexflang --explain -O2 ./sub/heat.f90 | FileCheck %s --check-prefixes=FILE,TAKEN -DNAME=./sub/heat.f90
! RUN: %hexflang --explain -O2 %t/sub/heat.f90 | FileCheck %s --check-prefixes=FILE,TAKEN -DNAME=%t/sub/heat.f90
! RUN: cd sub && %hexflang --explain -O2 ../sub/heat.f90 | FileCheck %s --check-prefixes=FILE,TAKEN -DNAME=../sub/heat.f90
! RUN: %hexflang --explain -O2 heat.f90 | FileCheck %s --check-prefixes=FILE,TAKEN -DNAME=heat.f90
subroutine heat(u, v, n, steps)
  integer, intent(in) :: n, steps
  real(8), intent(inout) :: u(n), v(n)
  integer :: t, i
  do t = 1, steps
    do i = 2, n - 1
      v(i) = 0.25d0 * (u(i-1) + 2 * u(i) + u(i+1))
    end do
    do i = 2, n - 1
      u(i) = v(i)
    end do
  end do
end subroutine
! FILE: {{^}}[[NAME]]:{{$}}
! TAKEN: do t = 1, steps
! TAKEN-NEXT: ^ tiled: time loop tiled
