! Lattice Boltzmann: populations first, a loop over them with tables of directions; collision, then streaming into a
! second array, then back.
subroutine flow(f, g, n, m, steps)
  implicit none
  integer, intent(in) :: n, m, steps
  double precision, intent(inout) :: f(0:8, n, m), g(0:8, n, m)
  integer, parameter :: cx(0:8) = [0, 1, 0, -1, 0, 1, -1, -1, 1]
  integer, parameter :: cy(0:8) = [0, 0, 1, 0, -1, 1, 1, -1, -1]
  double precision, parameter :: w(0:8) = [4d0/9, 1d0/9, 1d0/9, 1d0/9, 1d0/9, 1d0/36, 1d0/36, 1d0/36, 1d0/36]
  double precision :: density, ux, uy, along
  integer :: t, i, j, k

  do t = 1, steps
    do j = 2, m - 1
      do i = 2, n - 1
        density = 0.0d0
        ux = 0.0d0
        uy = 0.0d0
        do k = 0, 8
          density = density + f(k, i - cx(k), j - cy(k))
          ux = ux + cx(k)*f(k, i - cx(k), j - cy(k))
          uy = uy + cy(k)*f(k, i - cx(k), j - cy(k))
        end do
        do k = 0, 8
          along = 3.0d0*(cx(k)*ux + cy(k)*uy)
          g(k, i, j) = 0.4d0*f(k, i - cx(k), j - cy(k)) + 0.6d0*w(k)*(density + along + 0.5d0*along*along &
                                                                    - 1.5d0*(ux*ux + uy*uy))
        end do
      end do
    end do
    do j = 2, m - 1
      do i = 2, n - 1
        do k = 0, 8
          f(k, i, j) = g(k, i, j)
        end do
      end do
    end do
  end do
end subroutine flow

program main
  use corpus
  implicit none
  integer :: nx, ny, nz, steps
  double precision, allocatable :: f(:), g(:)

  do while (next_case(nx, ny, nz, steps))
    call new_array(f, points(nx, ny, 9))
    call new_array(g, points(nx, ny, 9))
    f = 0.1d0 + 0.001d0*f
    call flow(f(1), g(1), nx, ny, steps)
    call dump('f', f)
    call dump('g', g)
    call end_case()
  end do
end program main
