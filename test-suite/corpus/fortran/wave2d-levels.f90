! The wave equation: three levels of one array, whose numbers are rotated; a speed for each point, a source in each step.
subroutine wave(u, speed, n, m, steps)
  implicit none
  integer, intent(in) :: n, m, steps
  double precision, intent(inout) :: u(n, m, 3)
  double precision, intent(in) :: speed(n, m)
  integer :: t, i, j, past, now, next, kept

  past = 1
  now = 2
  next = 3
  do t = 1, steps
    do j = 2, m - 1
      do i = 2, n - 1
        u(i, j, next) = 2.0d0*u(i, j, now) - u(i, j, past) + 0.1d0*speed(i, j)*(u(i - 1, j, now) &
                        + u(i + 1, j, now) + u(i, j - 1, now) + u(i, j + 1, now) - 4.0d0*u(i, j, now))
      end do
    end do
    if (n > 4 .and. m > 4) u(n/2, m/2, next) = u(n/2, m/2, next) + 1.0d0/(1.0d0 + t)
    kept = past
    past = now
    now = next
    next = kept
  end do
end subroutine wave

program main
  use corpus
  implicit none
  integer :: nx, ny, nz, steps
  double precision, allocatable :: u(:), speed(:)

  do while (next_case(nx, ny, nz, steps))
    call new_array(u, points(nx, ny, 3))
    call new_array(speed, points(nx, ny, 1))
    call wave(u(1), speed(1), nx, ny, steps)
    call dump('u', u)
    call dump('speed', speed)
    call end_case()
  end do
end program main
