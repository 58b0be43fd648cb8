! Heat in a box, seven points, single precision: a sweep and a copy back.
subroutine heat3d(u, unew, nx, ny, nz, c0, c1, steps)
  implicit none
  integer, intent(in) :: nx, ny, nz, steps
  real, intent(inout) :: u(nx, ny, nz), unew(nx, ny, nz)
  real, intent(in) :: c0, c1
  integer :: it, i, j, k

  do it = 1, steps
    do k = 2, nz - 1
      do j = 2, ny - 1
        do i = 2, nx - 1
          unew(i, j, k) = c0*u(i, j, k) + c1*(u(i - 1, j, k) + u(i + 1, j, k) &
                          + u(i, j - 1, k) + u(i, j + 1, k) + u(i, j, k - 1) + u(i, j, k + 1))
        end do
      end do
    end do
    do k = 2, nz - 1
      do j = 2, ny - 1
        do i = 2, nx - 1
          u(i, j, k) = unew(i, j, k)
        end do
      end do
    end do
  end do
end subroutine heat3d

program main
  use corpus
  implicit none
  integer :: nx, ny, nz, steps
  real, allocatable :: u(:), unew(:)

  do while (next_case(nx, ny, nz, steps))
    call new_array(u, points(nx, ny, nz))
    call new_array(unew, points(nx, ny, nz))
    call heat3d(u(1), unew(1), nx, ny, nz, 0.4, 0.1, steps)
    call dump('u', u)
    call dump('unew', unew)
    call end_case()
  end do
end program main
