! Loops count with variables of the module, also those over single columns, and output stands between them.
module grid
  implicit none
  integer :: i, j
contains
  subroutine heat(u, v, nx, ny, steps)
    integer, intent(in) :: nx, ny, steps
    double precision, intent(inout) :: u(nx, ny), v(nx, ny)
    integer :: step
    do step = 1, steps
      if (mod(step, 7) == 0) write (*, *) 'step', step
      do i = 1, nx
        u(i, 1) = 0.0d0
        u(i, 2) = 0.5d0
      end do
      do j = 2, ny - 1
        u(nx, j) = 1.0d0
      end do
      do j = 2, ny - 1
        do i = 2, nx - 1
          v(i, j) = u(i, j) + 0.1d0*(u(i, j + 1) + u(i, j - 1) + u(i + 1, j) + u(i - 1, j) - 4.0d0*u(i, j))
        end do
      end do
      do j = 2, ny - 1
        do i = 2, nx - 1
          u(i, j) = v(i, j)
        end do
      end do
    end do
  end subroutine heat
end module grid

program main
  use corpus
  use grid
  implicit none
  integer :: nx, ny, nz, steps
  double precision, allocatable :: u(:), v(:)
  integer :: counters(2)

  do while (next_case(nx, ny, nz, steps))
    i = 0
    j = 0
    call new_array(u, points(nx, ny, 1))
    call new_array(v, points(nx, ny, 1))
    if (nx > 1 .and. ny > 1) call heat(u, v, nx, ny, steps)
    call dump('u', u)
    call dump('v', v)
    counters = [i, j]
    call dump('counters', counters)
    call end_case()
  end do
end program main
