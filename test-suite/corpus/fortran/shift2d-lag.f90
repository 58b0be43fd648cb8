! Two fields that meet at a distance which only the run knows, one updated after the other.
subroutine leap(e, h, n, m, lag, steps)
  implicit none
  integer, intent(in) :: n, m, lag, steps
  double precision, intent(inout) :: e(n, m), h(n, m)
  integer :: step, i, j

  do step = 1, steps
    do j = 1, m
      do i = 1 + lag, n
        e(i, j) = e(i, j) + 0.25d0*(h(i, j) - h(i - lag, j))
      end do
    end do
    do j = 1, m
      do i = 1, n - lag
        h(i, j) = h(i, j) + 0.25d0*(e(i + lag, j) - e(i, j))
      end do
    end do
  end do
end subroutine leap

program main
  use corpus
  implicit none
  integer :: nx, ny, nz, steps
  double precision, allocatable :: e(:), h(:)

  do while (next_case(nx, ny, nz, steps))
    call new_array(e, points(nx, ny, 1))
    call new_array(h, points(nx, ny, 1))
    call leap(e(1), h(1), nx, ny, 1 + modulo(nx, 4), steps)
    call dump('e', e)
    call dump('h', h)
    call end_case()
  end do
end program main
