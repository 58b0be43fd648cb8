! Burgers' equation with differences against the wind, which is the solution itself.
subroutine blow(u, v, un, vn, n, m, steps)
  implicit none
  integer, intent(in) :: n, m, steps
  double precision, intent(inout) :: u(n, m), v(n, m), un(n, m), vn(n, m)
  double precision :: west, south
  integer :: step, i, j

  do step = 1, steps
    un = u
    vn = v
    do j = 2, m - 1
      do i = 2, n - 1
        if (un(i, j) - 0.5d0 > 0.1d0) then
          west = vn(i - 1, j)
        else if (un(i, j) - 0.5d0 < -0.1d0) then
          west = vn(i + 1, j)
        else
          west = 0.5d0*(vn(i - 1, j) + vn(i + 1, j))
        end if
        if (vn(i, j) > 0.5d0) then
          south = un(i, j - 1)
        else
          south = un(i, j + 1)
        end if
        u(i, j) = un(i, j) + 0.1d0*(south - un(i, j))
        v(i, j) = vn(i, j) + 0.2d0*(west - vn(i, j))
      end do
    end do
  end do
end subroutine blow

program main
  use corpus
  implicit none
  integer :: nx, ny, nz, steps
  double precision, allocatable :: u(:), v(:), un(:), vn(:)

  do while (next_case(nx, ny, nz, steps))
    call new_array(u, points(nx, ny, 1))
    call new_array(v, points(nx, ny, 1))
    call new_array(un, points(nx, ny, 1))
    call new_array(vn, points(nx, ny, 1))
    call blow(u(1), v(1), un(1), vn(1), nx, ny, steps)
    call dump('u', u)
    call dump('v', v)
    call end_case()
  end do
end program main
