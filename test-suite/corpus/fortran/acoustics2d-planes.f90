! Acoustics: pressure and velocities in one allocatable array, the last subscript the component, above a lower bound of
! its own.
program main
  use corpus
  implicit none
  integer, parameter :: dp = kind(1d0)
  integer :: nx, ny, nz, steps, t, i, j, all
  double precision, allocatable :: a(:), b(:)
  real(dp), allocatable :: q(:, :, :), next(:, :, :)

  do while (next_case(nx, ny, nz, steps))
    allocate (q(0:nx - 1, 0:ny - 1, 3), next(0:nx - 1, 0:ny - 1, 3))
    all = size(q)
    call new_array(a, all)
    call new_array(b, all)
    q = reshape(a(1:all), shape(q))
    next = reshape(b(1:all), shape(next))
    do t = 1, steps
      do j = 1, ny - 2
        do i = 1, nx - 2
          next(i, j, 1) = q(i, j, 1) - 0.1_dp*(q(i + 1, j, 2) - q(i - 1, j, 2) + q(i, j + 1, 3) - q(i, j - 1, 3))
          next(i, j, 2) = q(i, j, 2) - 0.1_dp*(q(i + 1, j, 1) - q(i - 1, j, 1))
          next(i, j, 3) = q(i, j, 3) - 0.1_dp*(q(i, j + 1, 1) - q(i, j - 1, 1))
        end do
      end do
      do j = 1, ny - 2
        do i = 1, nx - 2
          q(i, j, 1) = next(i, j, 1)
          q(i, j, 2) = next(i, j, 2)
          q(i, j, 3) = next(i, j, 3)
        end do
      end do
    end do
    a(1:all) = reshape(q, [all])
    b(1:all) = reshape(next, [all])
    call dump('a', a)
    call dump('b', b)
    call end_case()
    deallocate (q, next)
  end do
end program main
