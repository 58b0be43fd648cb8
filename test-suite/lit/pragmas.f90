! Directives are comments without -fopenmp; with it, the threads are the program's. Those of OpenACC are comments.
! RUN: %flang -O3 -gline-tables-only -c -o /dev/null -Rpass=hexpass -Rpass-missed=hexpass %s 2>&1 | FileCheck %s
! RUN: %flang -O3 -fopenmp -gline-tables-only -c -o /dev/null -Rpass=hexpass -Rpass-missed=hexpass %s 2>&1 | FileCheck %s --check-prefix=OPENMP

subroutine heat(u, v, n, m, steps)
  implicit none
  integer, intent(in) :: n, m, steps
  double precision, intent(inout) :: u(n, m), v(n, m)
  integer :: t, i, j
  !$acc data copy(u, v)
  ! CHECK: [[@LINE+2]]:3: remark: time loop tiled
  ! OPENMP: [[@LINE+1]]:3: remark: loop not taken: {{.*}} [openmp]
  do t = 1, steps
    !$omp parallel do private(i)
    !$acc parallel loop collapse(2)
    do j = 2, m - 1
      do i = 2, n - 1
        v(i, j) = 0.25d0*(u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1))
      end do
    end do
    !$omp end parallel do
    !$omp parallel do private(i)
    do j = 2, m - 1
      do i = 2, n - 1
        u(i, j) = v(i, j)
      end do
    end do
    !$omp end parallel do
  end do
  !$acc end data
end subroutine heat
