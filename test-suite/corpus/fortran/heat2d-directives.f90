! The directives of OpenMP and OpenACC that codes carry around: none of them is switched on here.
subroutine heat(a, b, n, m, steps)
  implicit none
  integer, intent(in) :: n, m, steps
  double precision, intent(inout) :: a(n, m), b(n, m)
  integer :: t, i, j

  !$acc data copy(a) create(b)
  do t = 1, steps
    !$omp parallel do collapse(2)
    !$acc parallel loop collapse(2)
    do j = 2, m - 1
      do i = 2, n - 1
        b(i, j) = 0.25d0*(a(i - 1, j) + a(i + 1, j) + a(i, j - 1) + a(i, j + 1))
      end do
    end do
    !$omp end parallel do
    !$omp parallel workshare
    !$acc kernels
    a(2:n - 1, 2:m - 1) = b(2:n - 1, 2:m - 1)
    !$acc end kernels
    !$omp end parallel workshare
  end do
  !$acc end data
end subroutine heat

program main
  use corpus
  implicit none
  integer :: nx, ny, nz, steps
  double precision, allocatable :: a(:), b(:)

  do while (next_case(nx, ny, nz, steps))
    call new_array(a, points(nx, ny, 1))
    call new_array(b, points(nx, ny, 1))
    call heat(a(1), b(1), nx, ny, steps)
    call dump('a', a)
    call dump('b', b)
    call end_case()
  end do
end program main
