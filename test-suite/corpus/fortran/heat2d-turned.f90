! Pointers in a module that lead to every other column of one array, and to every other element of all columns of another.
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
    call new_array(first, points(nx, 2*ny, 1))
    call new_array(second, points(nx, 2*ny, 1))
    allocate (wide(nx, 2*ny), long(2*nx, ny))
    wide = reshape(first(1:size(wide)), shape(wide))
    long = reshape(second(1:size(long)), shape(long))
    u => wide(:, 1:2*ny:2)
    w => long(1:2*nx:2, :)
    call heat(nx, ny, steps)
    first(1:size(wide)) = reshape(wide, [size(wide)])
    second(1:size(long)) = reshape(long, [size(long)])
    deallocate (wide, long)
    call dump('u', first)
    call dump('w', second)
    call end_case()
  end do
end program main
