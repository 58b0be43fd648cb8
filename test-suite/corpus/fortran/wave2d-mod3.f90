! The wave equation on three levels of one array, told apart by the step modulo three.
subroutine wave(u, n, m, steps)
  implicit none
  integer, intent(in) :: n, m, steps
  real, intent(inout) :: u(n, m, 0:2)
  integer :: t, i, j, old, now, new

  do t = 1, steps
    old = mod(t - 1, 3)
    now = mod(t, 3)
    new = mod(t + 1, 3)
    do j = 2, m - 1
      do i = 2, n - 1
        u(i, j, new) = 2*u(i, j, now) - u(i, j, old) + 0.2*(u(i - 1, j, now) + u(i + 1, j, now) + u(i, j - 1, now) &
                                                            + u(i, j + 1, now) - 4*u(i, j, now))
      end do
    end do
  end do
end subroutine wave

program main
  use corpus
  implicit none
  integer :: nx, ny, nz, steps
  real, allocatable :: u(:)

  do while (next_case(nx, ny, nz, steps))
    call new_array(u, points(nx, ny, 3))
    call wave(u(1), nx, ny, steps)
    call dump('u', u)
    call end_case()
  end do
end program main
