! The change of the inner points, by maxval over sections of run-time sizes; it is left in an argument.
subroutine laplace(a, anew, n, m, most, tolerance, steps, change)
  implicit none
  integer, intent(in) :: n, m, most
  integer, intent(out) :: steps
  real(8), dimension(m, n), intent(inout) :: a, anew
  real(8), intent(in) :: tolerance
  real(8), intent(out) :: change
  integer :: i, j
  change = 1d0
  steps = 0
  do while (change > tolerance .and. steps < most)
    do j = 2, n - 1
      do i = 2, m - 1
        anew(i, j) = 0.25d0*(a(i - 1, j) + a(i + 1, j) + a(i, j - 1) + a(i, j + 1))
      end do
    end do
    change = maxval(abs(anew(2:m - 1, 2:n - 1) - a(2:m - 1, 2:n - 1)))
    a(2:m - 1, 2:n - 1) = anew(2:m - 1, 2:n - 1)
    steps = steps + 1
  end do
end subroutine laplace

program main
  use corpus
  implicit none
  integer :: nx, ny, nz, steps, taken
  double precision :: change(1)
  double precision, allocatable :: a(:), b(:)

  do while (next_case(nx, ny, nz, steps))
    call new_array(a, points(nx, ny, 1))
    call new_array(b, points(nx, ny, 1))
    call laplace(a, b, ny, nx, steps, 1d-2, taken, change(1))
    call dump('a', a)
    call dump('b', b)
    call dump('change', change)
    call end_case()
  end do
end program main
