! Two grids of a derived type take turns: the new one becomes the old one, and the new one is the other.
module grids
  implicit none
  type :: grid
    double precision, allocatable :: at(:, :)
  end type grid
end module grids

subroutine heat(g, n, m, steps, last)
  use grids
  implicit none
  integer, intent(in) :: n, m, steps
  type(grid), intent(inout) :: g(2)
  integer, intent(out) :: last
  integer :: old, new, t, i, j

  old = 1
  new = 2
  do t = 1, steps
    do j = 2, m - 1
      do i = 2, n - 1
        g(new)%at(i, j) = 0.25d0*(g(old)%at(i - 1, j) + g(old)%at(i + 1, j) + g(old)%at(i, j - 1) + g(old)%at(i, j + 1))
      end do
    end do
    old = new
    new = 3 - old
  end do
  last = 10*old + new
end subroutine heat

program main
  use corpus
  use grids
  implicit none
  interface
    subroutine heat(g, n, m, steps, last)
      use grids
      integer, intent(in) :: n, m, steps
      type(grid), intent(inout) :: g(2)
      integer, intent(out) :: last
    end subroutine heat
  end interface
  integer :: nx, ny, nz, steps, last, all
  double precision, allocatable :: a(:), b(:)
  type(grid) :: g(2)

  do while (next_case(nx, ny, nz, steps))
    call new_array(a, points(nx, ny, 1))
    call new_array(b, points(nx, ny, 1))
    allocate (g(1)%at(nx, ny), g(2)%at(nx, ny))
    all = size(g(1)%at)
    g(1)%at = reshape(a(1:all), shape(g(1)%at))
    g(2)%at = reshape(b(1:all), shape(g(2)%at))
    call heat(g, nx, ny, steps, last)
    a(1:all) = reshape(g(last/10)%at, [all])
    b(1:all) = reshape(g(mod(last, 10))%at, [all])
    deallocate (g(1)%at, g(2)%at)
    call dump('a', a)
    call dump('b', b)
    call end_case()
  end do
end program main
