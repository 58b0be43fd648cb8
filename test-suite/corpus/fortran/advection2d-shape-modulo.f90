! A world without borders, whose extents are what an array's descriptor says: neighbours by modulo of these.
module world
  implicit none
contains
  subroutine run(u, v, steps)
    real, contiguous, intent(inout) :: u(:, :), v(:, :)
    integer, intent(in) :: steps
    integer :: t

    do t = 1, steps
      call advect(u, v)
      u = v
    end do
  end subroutine run

  subroutine advect(u, v)
    real, intent(in) :: u(0:, 0:)
    real, intent(inout) :: v(0:, 0:)
    integer :: i, j, nx, ny

    nx = size(u, 1)
    ny = size(u, 2)
    do j = 0, ny - 1
      do i = 0, nx - 1
        v(i, j) = 0.6 * u(i, j) + 0.2 * u(modulo(i - 1, nx), j) + 0.15 * u(i, modulo(j + 1, ny)) &
          + 0.05 * u(modulo(i + 1, nx), modulo(j - 1, ny))
      end do
    end do
  end subroutine advect
end module world

program main
  use corpus
  use world
  implicit none
  integer :: nx, ny, nz, steps
  real, allocatable :: all(:), u(:, :), v(:, :)

  do while (next_case(nx, ny, nz, steps))
    call new_array(all, points(nx, ny, 1))
    u = reshape(all, [nx, ny])
    v = u
    call run(u, v, steps)
    call dump('u', reshape(u, [nx * ny]))
    call end_case()
  end do
end program main
