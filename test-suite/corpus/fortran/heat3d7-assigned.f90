! Copy back by assignment of one component of a derived type to another, both allocatable and of three dimensions.
module block
  implicit none
  type grid
    real, allocatable :: now(:, :, :), next(:, :, :)
  end type grid
contains
  subroutine heat(g, steps)
    type(grid), intent(inout) :: g
    integer, intent(in) :: steps
    integer :: t, i, j, k

    do t = 1, steps
      do k = 2, size(g%now, 3) - 1
        do j = 2, size(g%now, 2) - 1
          do i = 2, size(g%now, 1) - 1
            g%next(i, j, k) = g%now(i, j, k) + 0.1*(g%now(i - 1, j, k) + g%now(i + 1, j, k) + g%now(i, j - 1, k) &
                              + g%now(i, j + 1, k) + g%now(i, j, k - 1) + g%now(i, j, k + 1) - 6.0*g%now(i, j, k))
          end do
        end do
      end do
      g%now = g%next
    end do
  end subroutine heat
end module block

program main
  use corpus
  use block
  implicit none
  integer :: nx, ny, nz, steps, n, m, l
  real, allocatable :: a(:)
  type(grid) :: g

  do while (next_case(nx, ny, nz, steps))
    call new_array(a, points(nx, ny, nz))
    n = max(nx, 0)
    m = max(ny, 0)
    l = max(nz, 0)
    g%now = reshape(a(1:n*m*l), [n, m, l])
    g%next = g%now
    call heat(g, steps)
    a(1:n*m*l) = reshape(g%now, [n*m*l])
    call dump('u', a)
    call end_case()
  end do
end program main
