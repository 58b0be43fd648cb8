! Heat equation whose residual, a sum, is that of the last step; the others are not looked at.
subroutine heat(u, v, results, n, m, steps)
  implicit none
  integer, intent(in) :: n, m, steps
  real, intent(inout) :: u(n, m), v(n, m), results(2)
  real :: residual, total
  integer :: step, i, j

  residual = -1.0
  total = -1.0
  do step = 1, steps
    residual = 0.0
    total = 0.0
    do j = 2, m - 1
      do i = 2, n - 1
        v(i, j) = u(i, j) + 0.2*(u(i + 1, j) + u(i - 1, j) + u(i, j - 1) + u(i, j + 1) - 4.0*u(i, j))
        residual = residual + abs(v(i, j) - u(i, j))
        total = total + v(i, j)
      end do
    end do
    do j = 2, m - 1
      do i = 2, n - 1
        u(i, j) = v(i, j)
      end do
    end do
    residual = residual/(n*m)
  end do
  results(1) = residual
  results(2) = total
end subroutine heat

program main
  use corpus
  implicit none
  integer :: nx, ny, nz, steps
  real, allocatable :: u(:), v(:), results(:)

  do while (next_case(nx, ny, nz, steps))
    call new_array(u, points(nx, ny, 1))
    call new_array(v, points(nx, ny, 1))
    call new_array(results, points(2, 1, 1))
    call heat(u(1), v(1), results(1), nx, ny, steps)
    call dump('u', u)
    call dump('v', v)
    call dump('results', results)
    call end_case()
  end do
end program main
