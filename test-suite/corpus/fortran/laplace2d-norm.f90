! Laplace's equation until the norm of the change is small; the norm of the last iteration is given to the caller, with
! the largest change, which only it looks at.
subroutine laplace(a, next, results, n, m, steps, tolerance)
  implicit none
  integer, intent(in) :: n, m, steps
  double precision, intent(in) :: tolerance
  double precision, intent(inout) :: a(n, m), next(n, m), results(2)
  double precision :: norm
  integer :: iteration, i, j

  norm = 1.0d0
  iteration = 0
  do while (norm > tolerance .and. iteration < steps)
    norm = 0.0d0
    do j = 2, m - 1
      do i = 2, n - 1
        next(i, j) = 0.25d0*(a(i + 1, j) + a(i - 1, j) + a(i, j - 1) + a(i, j + 1))
        norm = norm + (next(i, j) - a(i, j))**2
      end do
    end do
    norm = sqrt(norm)
    do j = 2, m - 1
      do i = 2, n - 1
        a(i, j) = next(i, j)
      end do
    end do
    iteration = iteration + 1
  end do
  results(1) = norm
  results(2) = iteration
end subroutine laplace

program main
  use corpus
  implicit none
  integer :: nx, ny, nz, steps
  double precision, allocatable :: a(:), next(:), results(:)

  do while (next_case(nx, ny, nz, steps))
    call new_array(a, points(nx, ny, 1))
    call new_array(next, points(nx, ny, 1))
    call new_array(results, points(2, 1, 1))
    call laplace(a(1), next(1), results(1), nx, ny, steps, 0.4d0)
    call dump('a', a)
    call dump('next', next)
    call dump('results', results)
    call end_case()
  end do
end program main
