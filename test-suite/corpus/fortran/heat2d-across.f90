! Pointers in a module, whose descriptors hold all strides, and loops in the order of other languages: the inner one goes from
! row to row.
module grids
  implicit none
  double precision, pointer :: u(:, :), w(:, :)
contains
  subroutine heat(nx, ny, steps)
    integer, intent(in) :: nx, ny, steps
    integer :: i, j, t

    do t = 1, steps
      do i = 2, nx - 1
        do j = 2, ny - 1
          w(i, j) = u(i, j) + 0.1d0*(u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1) - 4.0d0*u(i, j))
        end do
      end do
      do i = 2, nx - 1
        do j = 2, ny - 1
          u(i, j) = w(i, j)
        end do
      end do
    end do
  end subroutine heat
end module grids

program main
  use corpus
  use grids
  implicit none
  integer :: nx, ny, nz, steps
  double precision, allocatable :: first(:), second(:)

  do while (next_case(nx, ny, nz, steps))
    call new_array(first, points(nx, ny, 1))
    call new_array(second, points(nx, ny, 1))
    allocate (u(max(nx, 0), max(ny, 0)), w(max(nx, 0), max(ny, 0)))
    u = reshape(first(1:size(u)), shape(u))
    w = reshape(second(1:size(w)), shape(w))
    call heat(nx, ny, steps)
    first(1:size(u)) = reshape(u, [size(u)])
    second(1:size(w)) = reshape(w, [size(w)])
    deallocate (u, w)
    call dump('u', first)
    call dump('w', second)
    call end_case()
  end do
end program main
