! Heat on a plate with two sweeps a step; between them a cell is printed every few steps, behind them a row is heated
! every few others, and the largest change of the second sweep ends the loop.
subroutine heat(a, b, trace, n, m, steps, taken)
  implicit none
  integer, intent(in) :: n, m, steps
  integer, intent(out) :: taken
  double precision, intent(inout) :: a(n, m), b(n, m), trace(32)
  double precision :: change
  integer :: step, i, j

  taken = 0
  do step = 1, steps
    do j = 2, m - 1
      do i = 1, n
        b(i, j) = 0.25d0*(a(i, j - 1) + 2.0d0*a(i, j) + a(i, j + 1))
      end do
    end do
    if (mod(step, 5) == 2 .and. n > 1 .and. m > 1) print *, 'step', step, b(n/2, m/2)
    change = 0.0d0
    do j = 1, m
      do i = 2, n - 1
        change = max(change, abs(a(i, j) - b(i, j)))
        a(i, j) = 0.25d0*(b(i - 1, j) + 2.0d0*b(i, j) + b(i + 1, j))
      end do
    end do
    trace(1 + mod(step, 32)) = change
    if (mod(step, 7) == 3) then
      do i = 1, n
        a(i, 1) = 0.5d0*a(i, 1) + 0.125d0
      end do
    end if
    taken = step
    if (change < 0.02d0) exit
  end do
end subroutine heat

program main
  use corpus
  implicit none
  integer :: nx, ny, nz, steps, taken
  double precision, allocatable :: a(:), b(:), trace(:)

  do while (next_case(nx, ny, nz, steps))
    call new_array(a, points(nx, ny, 1))
    call new_array(b, points(nx, ny, 1))
    call new_array(trace, points(32, 1, 1))
    call heat(a(1), b(1), trace(1), nx, ny, steps, taken)
    call dump('a', a)
    call dump('b', b)
    call dump('trace', trace)
    call end_case()
  end do
end program main
