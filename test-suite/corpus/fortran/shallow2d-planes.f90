! Shallow water: the components of all cells in one array, the last subscript their number. Sweeps mean components by
! number, and the whole array is assigned at the end of a step.
program main
  use corpus
  implicit none
  integer, parameter :: dp = kind(1d0), nx = 45, ny = 34
  real(dp) :: q(0:nx + 1, 0:ny + 1, 3), next(0:nx + 1, 0:ny + 1, 3)
  double precision, allocatable :: a(:), b(:)
  integer :: n, m, depth, steps, t, i, j, k, all

  do while (next_case(n, m, depth, steps))
    all = size(q)
    call new_array(a, all)
    call new_array(b, all)
    q = reshape(a(1:all), shape(q))
    next = reshape(b(1:all), shape(next))
    do t = 1, steps
      do j = 1, ny
        do i = 1, nx
          next(i, j, 1) = q(i, j, 1) - 0.1d0*(q(i + 1, j, 2) - q(i - 1, j, 2) + q(i, j + 1, 3) - q(i, j - 1, 3))
          next(i, j, 2) = 0.25d0*(q(i + 1, j, 2) + q(i - 1, j, 2) + q(i, j + 1, 2) + q(i, j - 1, 2)) &
            - 0.1d0*(q(i + 1, j, 1) - q(i - 1, j, 1))
          next(i, j, 3) = 0.25d0*(q(i + 1, j, 3) + q(i - 1, j, 3) + q(i, j + 1, 3) + q(i, j - 1, 3)) &
            - 0.1d0*(q(i, j + 1, 1) - q(i, j - 1, 1))
        end do
      end do
      do j = 1, ny
        next(0, j, 1) = next(1, j, 1)
        next(0, j, 2) = -next(1, j, 2)
        next(0, j, 3) = next(1, j, 3)
        next(nx + 1, j, 1) = next(nx, j, 1)
        next(nx + 1, j, 2) = -next(nx, j, 2)
        next(nx + 1, j, 3) = next(nx, j, 3)
      end do
      do k = 1, 3
        do i = 0, nx + 1
          next(i, 0, k) = next(i, 1, k)
          next(i, ny + 1, k) = next(i, ny, k)
        end do
      end do
      q = next
    end do
    a(1:all) = reshape(q, [all])
    b(1:all) = reshape(next, [all])
    call dump('a', a)
    call dump('b', b)
    call end_case()
  end do
end program main
