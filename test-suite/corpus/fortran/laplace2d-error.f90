! Laplace's equation until no cell changes by more than a tolerance; the error is printed every few iterations.
subroutine laplace(a, next, taken, n, m, steps, tolerance)
  implicit none
  integer, intent(in) :: n, m, steps
  double precision, intent(in) :: tolerance
  double precision, intent(inout) :: a(n, m), next(n, m), taken(1)
  double precision :: error
  integer :: iteration, i, j

  error = 1.0d0
  iteration = 0
  do while (error > tolerance .and. iteration < steps)
    error = 0.0d0
    do j = 2, m - 1
      do i = 2, n - 1
        next(i, j) = 0.25d0*(a(i + 1, j) + a(i - 1, j) + a(i, j - 1) + a(i, j + 1))
        error = max(error, abs(next(i, j) - a(i, j)))
      end do
    end do
    do j = 2, m - 1
      do i = 2, n - 1
        a(i, j) = next(i, j)
      end do
    end do
    if (mod(iteration, 10) == 0) print *, iteration, error
    iteration = iteration + 1
  end do
  taken(1) = iteration
end subroutine laplace

program main
  use corpus
  implicit none
  integer :: nx, ny, nz, steps
  double precision, allocatable :: a(:), next(:), taken(:)

  do while (next_case(nx, ny, nz, steps))
    call new_array(a, points(nx, ny, 1))
    call new_array(next, points(nx, ny, 1))
    call new_array(taken, points(1, 1, 1))
    call laplace(a(1), next(1), taken(1), nx, ny, steps, 0.02d0)
    call dump('a', a)
    call dump('next', next)
    call dump('taken', taken)
    call end_case()
  end do
end program main
