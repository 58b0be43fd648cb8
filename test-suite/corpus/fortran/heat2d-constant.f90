! Allocatable arrays of a constant size in the main program, whose borders a subroutine sets that has them with explicit shape.

module borders
  implicit none
  integer, parameter :: n = 150
contains
  subroutine insulate(u, size)
    integer, intent(in) :: size
    double precision, intent(inout) :: u(size, size)
    integer :: i

    do i = 1, size
      u(i, 1) = u(i, 2)
      u(i, size) = u(i, size - 1)
    end do
    do i = 1, size
      u(1, i) = u(2, i)
      u(size, i) = u(size - 1, i)
    end do
  end subroutine insulate
end module borders

program main
  use corpus
  use borders
  implicit none
  integer :: nx, ny, nz, steps, i, j, t
  double precision, allocatable :: u(:, :), v(:, :), start(:), last(:)

  do while (next_case(nx, ny, nz, steps))
    call new_array(start, points(nx, ny, 1))
    call new_array(last, n * n)
    allocate (u(n, n), v(n, n))
    u = 1.5d0
    do j = 1, ny
      do i = 1, nx
        u(i, j) = start(guard + (j - 1) * nx + i)
      end do
    end do
    v = u
    do t = 1, steps
      do j = 2, n - 1
        do i = 2, n - 1
          v(i, j) = 0.25d0 * (u(i + 1, j) + u(i - 1, j) + u(i, j + 1) + u(i, j - 1))
        end do
      end do
      call insulate(v, n)
      do j = 1, n
        do i = 1, n
          u(i, j) = v(i, j)
        end do
      end do
    end do
    last(guard + 1:guard + n * n) = reshape(u, [n * n])
    call dump('last', last)
    deallocate (u, v)
    call end_case()
  end do
end program main
