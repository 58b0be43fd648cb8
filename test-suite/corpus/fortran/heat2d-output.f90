! Heat on a plate until a time that is counted in floating point; a line of output and the largest value every few
! steps.
subroutine heat(a, b, sums, n, m, last, every)
  implicit none
  integer, intent(in) :: n, m, every
  double precision, intent(in) :: last
  double precision, intent(inout) :: a(n, m), b(n, m), sums(32)
  double precision :: time, dt, warmth
  integer :: step, i, j

  dt = 0.1d0
  time = 0.0d0
  step = 0
  do while (time < last)
    warmth = 0.01d0*dt*cos(time)
    do j = 2, m - 1
      do i = 2, n - 1
        b(i, j) = a(i, j) + warmth + dt*(a(i - 1, j) + a(i + 1, j) + a(i, j - 1) + a(i, j + 1) &
                                         - 4.0d0*a(i, j))
      end do
    end do
    do j = 2, m - 1
      do i = 2, n - 1
        a(i, j) = b(i, j)
      end do
    end do
    if (mod(step, 7) == 3) print *, 'step', step, 'time', time
    if (mod(step, every) == 0) sums(1 + mod(step/every, 32)) = maxval(a)
    step = step + 1
    time = time + dt
  end do
end subroutine heat

program main
  use corpus
  implicit none
  integer :: nx, ny, nz, steps
  double precision, allocatable :: a(:), b(:), sums(:)

  do while (next_case(nx, ny, nz, steps))
    call new_array(a, points(nx, ny, 1))
    call new_array(b, points(nx, ny, 1))
    call new_array(sums, points(32, 1, 1))
    call heat(a(1), b(1), sums(1), nx, ny, 0.1d0*steps, 5)
    call dump('a', a)
    call dump('b', b)
    call dump('sums', sums)
    call end_case()
  end do
end program main
