! Laplace's equation: two sweeps a step, from a to b and back, by one subroutine.
subroutine sweep(from, to, n)
  implicit none
  integer, intent(in) :: n
  real, intent(in) :: from(n, n)
  real, intent(inout) :: to(n, n)
  integer :: i, j

  do j = 2, n - 1
    do i = 2, n - 1
      to(i, j) = 0.25*(from(i - 1, j) + from(i + 1, j) + from(i, j - 1) + from(i, j + 1))
    end do
  end do
end subroutine sweep

subroutine jacobi(a, b, n, steps)
  implicit none
  integer, intent(in) :: n, steps
  real, intent(inout) :: a(n, n), b(n, n)
  integer :: t

  do t = 1, steps
    call sweep(a, b, n)
    call sweep(b, a, n)
  end do
end subroutine jacobi

program main
  use corpus
  implicit none
  integer :: nx, ny, nz, steps
  real, allocatable :: a(:), b(:)

  do while (next_case(nx, ny, nz, steps))
    call new_array(a, points(nx, nx, 1))
    call new_array(b, points(nx, nx, 1))
    call jacobi(a(1), b(1), nx, steps)
    call dump('a', a)
    call dump('b', b)
    call end_case()
  end do
end program main
