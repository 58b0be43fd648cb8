! Each step adds up what it changes where that is kept, an element of an array for each step.
module plates
  implicit none
contains
  subroutine heat(u, v, energy, nx, ny, steps)
    integer, intent(in) :: nx, ny, steps
    double precision, intent(inout) :: u(nx, ny), v(nx, ny), energy(0:steps)
    integer :: i, j, t

    do t = 1, steps
      energy(t) = 0
      do j = 2, ny - 1
        do i = 2, nx - 1
          v(i, j) = 0.25d0 * (u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1))
          energy(t) = energy(t) + (v(i, j) - u(i, j)) ** 2
        end do
      end do
      do j = 2, ny - 1
        do i = 2, nx - 1
          u(i, j) = v(i, j)
        end do
      end do
    end do
  end subroutine heat
end module plates

program main
  use corpus
  use plates
  implicit none
  integer :: nx, ny, nz, steps
  double precision, allocatable :: u(:), v(:), energy(:)

  do while (next_case(nx, ny, nz, steps))
    call new_array(u, points(nx, ny, 1))
    call new_array(v, points(nx, ny, 1))
    call new_array(energy, steps + 1)
    call heat(u, v, energy, nx, ny, steps)
    call dump('u', u)
    call dump('v', v)
    call dump('energy', energy)
    call end_case()
  end do
end program main
