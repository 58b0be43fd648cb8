! Allocatable arrays, one assigned to the other in each step, and a line of text about two points of each; the largest that a third
! has been is kept.
program main
  use corpus
  implicit none
  integer :: nx, ny, nz, steps
  double precision, allocatable :: first(:), peak(:)

  do while (next_case(nx, ny, nz, steps))
    call new_array(first, points(nx, ny, 1))
    call new_array(peak, 1)
    call heat(first(1:nx*ny), peak(1), nx, ny, steps)
    call dump('u', first)
    call dump('peak', peak)
    call end_case()
  end do

contains

  subroutine heat(start, peak, nx, ny, steps)
    integer, intent(in) :: nx, ny, steps
    double precision, intent(inout) :: start(nx*ny), peak
    double precision, allocatable :: u(:, :), v(:, :)
    integer :: i, j, t

    allocate (u(nx, ny), v(nx, ny))
    u = reshape(start, [nx, ny])
    v = u
    do t = 1, steps
      do j = 2, ny - 1
        do i = 2, nx - 1
          v(i, j) = u(i, j) + 0.1d0*(u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1) - 4.0d0*u(i, j))
        end do
      end do
      u = v
      write (*, '(i6, 2f20.12)') t, u((nx + 1)/2, (ny + 1)/2), u((nx + 2)/3, (ny + 3)/4)
      peak = max(peak, abs(u((nx + 3)/4, (ny + 1)/2)))
    end do
    start = reshape(u, [nx*ny])
  end subroutine heat

end program main
