! Laplace's equation with the largest change of each step in a file.
subroutine laplace(u, new, taken, n, m, steps, tolerance)
  implicit none
  integer, intent(in) :: n, m, steps
  double precision, intent(inout) :: u(n, m), new(n, m), taken(1)
  double precision, intent(in) :: tolerance
  double precision :: change
  integer :: step, i, j, log

  open (newunit=log, status='scratch')
  change = 2.0d0*tolerance
  step = 0
  do while (change > tolerance .and. step < steps)
    do j = 2, m - 1
      do i = 2, n - 1
        new(i, j) = 0.25d0*(u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1))
      end do
    end do
    change = maxval(abs(new(2:n - 1, 2:m - 1) - u(2:n - 1, 2:m - 1)))
    u(2:n - 1, 2:m - 1) = new(2:n - 1, 2:m - 1)
    step = step + 1
    write (log, '(i6, 2x, es14.6)') step, change
  end do
  close (log)
  taken(1) = step
end subroutine laplace

program main
  use corpus
  implicit none
  integer :: nx, ny, nz, steps
  double precision, allocatable :: a(:), new(:), taken(:)

  do while (next_case(nx, ny, nz, steps))
    call new_array(a, points(nx, ny, 1))
    call new_array(new, points(nx, ny, 1))
    call new_array(taken, points(1, 1, 1))
    if (nx > 0 .and. ny > 0) call laplace(a(1), new(1), taken(1), nx, ny, steps, 0.02d0)
    call dump('a', a)
    call dump('new', new)
    call dump('taken', taken)
    call end_case()
  end do
end program main
