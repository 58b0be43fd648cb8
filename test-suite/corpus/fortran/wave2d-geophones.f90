! Receivers along a line, every third point of it, and others whose places stand in arrays.
subroutine wave(u, v, traces, others, row, column, n, m, receivers, steps)
  implicit none
  integer, intent(in) :: n, m, receivers, steps
  double precision, intent(inout) :: u(n, m), v(n, m), traces(receivers, steps), others(receivers, steps)
  integer, intent(in) :: row(receivers), column(receivers)
  integer :: i, j, r, t

  do t = 1, steps
    do j = 2, m - 1
      do i = 2, n - 1
        v(i, j) = u(i, j) + 0.125d0 * (u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1) - 4 * u(i, j))
      end do
    end do
    do j = 2, m - 1
      do i = 2, n - 1
        u(i, j) = v(i, j)
      end do
    end do
    do r = 1, receivers
      traces(r, t) = u(3 * r - 2, 2)
    end do
    do r = 1, receivers
      others(r, t) = u(row(r), column(r)) + t
    end do
  end do
end subroutine wave

program main
  use corpus
  implicit none
  integer :: nx, ny, nz, steps, r, receivers
  double precision, allocatable :: u(:), v(:), traces(:), others(:)
  integer, allocatable :: row(:), column(:)

  do while (next_case(nx, ny, nz, steps))
    receivers = 0
    if (points(nx, ny, 1) > 0 .and. ny > 1) receivers = (nx + 2) / 3
    call new_array(u, points(nx, ny, 1))
    call new_array(v, points(nx, ny, 1))
    call new_array(traces, receivers * max(steps, 0))
    call new_array(others, receivers * max(steps, 0))
    allocate(row(receivers), column(receivers))
    do r = 1, receivers
      row(r) = nx + 1 - r
      column(r) = ny - 1
    end do
    call wave(u, v, traces, others, row, column, nx, ny, receivers, steps)
    call dump('u', u)
    call dump('v', v)
    call dump('traces', traces)
    call dump('others', others)
    deallocate(row, column)
    call end_case()
  end do
end program main
