! Two coupled fields relax until neither changes much, which is asked before the changes are added.
subroutine slopes(u, v, du, dv, n, m)
  implicit none
  integer, intent(in) :: n, m
  double precision, intent(in) :: u(n, m), v(n, m)
  double precision, intent(inout) :: du(n, m), dv(n, m)
  integer :: i, j

  do j = 2, m - 1
    do i = 2, n - 1
      du(i, j) = 0.25d0*(u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1)) - u(i, j) + 0.01d0*(v(i, j) - u(i, j))
      dv(i, j) = 0.25d0*(v(i - 1, j) + v(i + 1, j) + v(i, j - 1) + v(i, j + 1)) - v(i, j) + 0.01d0*(u(i, j) - v(i, j))
    end do
  end do
end subroutine slopes

subroutine relax(u, v, results, n, m, steps, tolerance)
  implicit none
  integer, intent(in) :: n, m, steps
  double precision, intent(in) :: tolerance
  double precision, intent(inout) :: u(n, m), v(n, m), results(3)
  double precision :: du(n, m), dv(n, m), ru, rv
  integer :: iteration, i, j

  ru = 0.0d0
  rv = 0.0d0
  do iteration = 1, steps
    call slopes(u, v, du, dv, n, m)
    ru = 0.0d0
    rv = 0.0d0
    do j = 2, m - 1
      do i = 2, n - 1
        ru = ru + du(i, j)**2
        rv = rv + dv(i, j)**2
      end do
    end do
    ru = sqrt(ru)
    rv = sqrt(rv)
    if (ru < tolerance .and. rv < tolerance) exit
    do j = 2, m - 1
      do i = 2, n - 1
        u(i, j) = u(i, j) + du(i, j)
        v(i, j) = v(i, j) + dv(i, j)
      end do
    end do
  end do
  results(1) = ru
  results(2) = rv
  results(3) = iteration
end subroutine relax

program main
  use corpus
  implicit none
  integer :: nx, ny, nz, steps
  double precision, allocatable :: u(:), v(:), results(:)

  do while (next_case(nx, ny, nz, steps))
    call new_array(u, points(nx, ny, 1))
    call new_array(v, points(nx, ny, 1))
    call new_array(results, points(3, 1, 1))
    call relax(u(1), v(1), results(1), nx, ny, steps, 0.4d0)
    call dump('u', u)
    call dump('v', v)
    call dump('results', results)
    call end_case()
  end do
end program main
