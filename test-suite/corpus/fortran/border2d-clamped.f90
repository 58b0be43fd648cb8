! Neighbours beyond the border are the border itself: subscripts are clamped by max and min.
subroutine smooth(u, v, n, m, steps)
  implicit none
  integer, intent(in) :: n, m, steps
  real, intent(inout) :: u(n, m), v(n, m)
  integer :: t, i, j, up, down, left, right

  do t = 1, steps
    do j = 1, m
      left = max(j - 1, 1)
      right = min(j + 1, m)
      do i = 1, n
        up = max(i - 1, 1)
        down = min(i + 1, n)
        v(i, j) = 0.2*(u(i, j) + u(up, j) + u(down, j) + u(i, left) + u(i, right))
      end do
    end do
    u = v
  end do
end subroutine smooth

program main
  use corpus
  implicit none
  integer :: nx, ny, nz, steps
  real, allocatable :: u(:), v(:)

  do while (next_case(nx, ny, nz, steps))
    call new_array(u, points(nx, ny, 1))
    call new_array(v, points(nx, ny, 1))
    call smooth(u(1), v(1), nx, ny, steps)
    call dump('u', u)
    call dump('v', v)
    call end_case()
  end do
end program main
