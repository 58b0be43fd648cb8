! Pointers in a module that lead to every other column of an array, or to every other element of each.
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
  double precision, allocatable, target :: wide(:, :), long(:, :)

  do while (next_case(nx, ny, nz, steps))
    call new_array(first, points(nx, ny, 1))
    call new_array(second, points(nx, ny, 1))
    allocate (wide(nx, 2*ny), long(2*nx, ny))
    wide = -1.0d0
    long = -2.0d0
    u => wide(:, 1:2*ny:2)
    w => long(1:2*nx:2, :)
    u = reshape(first(1:size(u)), shape(u))
    w = reshape(second(1:size(w)), shape(w))
    call heat(nx, ny, steps)
    first(1:size(u)) = reshape(u, [size(u)])
    second(1:size(w)) = reshape(w, [size(w)])
    first(1) = first(1) + sum(wide(:, 2::2))
    second(1) = second(1) + sum(long(2::2, :))
    deallocate (wide, long)
    call dump('u', first)
    call dump('w', second)
    call end_case()
  end do
end program main
