! Solid cells keep what they hold, by merge; forall says that the order of the points does not matter.
subroutine relax(u, v, solid, n, m, steps)
  implicit none
  integer, intent(in) :: n, m, steps
  double precision, intent(inout) :: u(n, m), v(n, m)
  double precision, intent(in) :: solid(n, m)
  integer :: t, i, j

  do t = 1, steps
    do concurrent(j=2:m - 1, i=2:n - 1)
      v(i, j) = merge(u(i, j), 0.25d0*(u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1)), solid(i, j) > 0.5d0)
    end do
    forall (j=2:m - 1, i=2:n - 1) u(i, j) = v(i, j)
  end do
end subroutine relax

program main
  use corpus
  implicit none
  integer :: nx, ny, nz, steps
  double precision, allocatable :: u(:), v(:), solid(:)

  do while (next_case(nx, ny, nz, steps))
    call new_array(u, points(nx, ny, 1))
    call new_array(v, points(nx, ny, 1))
    call new_array(solid, points(nx, ny, 1))
    call relax(u(1), v(1), solid(1), nx, ny, steps)
    call dump('u', u)
    call dump('v', v)
    call end_case()
  end do
end program main
