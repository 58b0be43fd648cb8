! Components of derived types; cells under a mask keep their values, the others are limited.
module cells
  implicit none
  type field
    integer :: n, m
    real, allocatable :: at(:, :)
  end type field

contains

  subroutine relax(u, v, solid, steps)
    type(field), intent(inout) :: u, v
    logical, intent(in) :: solid(:, :)
    integer, intent(in) :: steps
    integer :: t, i, j
    do t = 1, steps
      do j = 2, u%m - 1
        do i = 2, u%n - 1
          if (solid(i, j)) then
            v%at(i, j) = u%at(i, j)
          else
            v%at(i, j) = 0.25*(u%at(i - 1, j) + u%at(i + 1, j) + u%at(i, j - 1) + u%at(i, j + 1))
          end if
        end do
      end do
      do j = 2, u%m - 1
        do i = 2, u%n - 1
          u%at(i, j) = max(v%at(i, j), -0.5)
        end do
      end do
    end do
  end subroutine relax

end module cells

program main
  use corpus
  use cells
  implicit none
  integer :: nx, ny, nz, steps, n, m
  real, allocatable :: a(:)
  logical, allocatable :: solid(:, :)
  type(field) :: u, v

  do while (next_case(nx, ny, nz, steps))
    call new_array(a, points(nx, ny, 1))
    n = max(nx, 0)
    m = max(ny, 0)
    u = field(n, m, reshape(a(1:n*m), [n, m]))
    v = u
    allocate (solid(n, m))
    solid = u%at > 0.75
    call relax(u, v, solid, steps)
    a(1:n*m) = reshape(u%at, [n*m])
    call dump('u', a)
    a(1:n*m) = reshape(v%at, [n*m])
    call dump('v', a)
    deallocate (solid)
    call end_case()
  end do
end program main
