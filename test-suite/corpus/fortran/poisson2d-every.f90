! Jacobi's iteration whose residual is asked for every few iterations only: it is printed, and ends the loop.
subroutine jacobi(u, next, f, taken, n, m, most, every, tolerance)
  implicit none
  integer, intent(in) :: n, m, most, every
  double precision, intent(in) :: tolerance, f(n, m)
  double precision, intent(inout) :: u(n, m), next(n, m), taken(1)
  double precision :: residual
  integer :: iteration, i, j

  iteration = 0
  do
    if (iteration >= most) exit
    do j = 2, m - 1
      do i = 2, n - 1
        next(i, j) = 0.25d0*(u(i + 1, j) + u(i - 1, j) + u(i, j - 1) + u(i, j + 1) - f(i, j))
      end do
    end do
    do j = 2, m - 1
      do i = 2, n - 1
        u(i, j) = next(i, j)
      end do
    end do
    iteration = iteration + 1
    if (mod(iteration, every) == 0) then
      residual = 0
      do j = 2, m - 1
        do i = 2, n - 1
          residual = residual + (u(i + 1, j) + u(i - 1, j) + u(i, j - 1) + u(i, j + 1) - 4*u(i, j) - f(i, j))**2
        end do
      end do
      residual = sqrt(residual/(n*m))
      print *, 'iteration', iteration, 'residual', residual
      if (residual < tolerance) exit
    end if
  end do
  taken(1) = iteration
end subroutine jacobi

program main
  use corpus
  implicit none
  integer :: nx, ny, nz, steps
  double precision, allocatable :: u(:), next(:), f(:), taken(:)

  do while (next_case(nx, ny, nz, steps))
    call new_array(u, points(nx, ny, 1))
    call new_array(next, points(nx, ny, 1))
    call new_array(f, points(nx, ny, 1))
    call new_array(taken, 1)
    call jacobi(u(1), next(1), f(1), taken(1), nx, ny, steps, 10, 0.25d0)
    call dump('u', u)
    call dump('next', next)
    call dump('taken', taken)
    call end_case()
  end do
end program main
