! Life in a flat array: a function says whether a neighbour lies inside, and what it is.
module petri
  implicit none
contains
  pure integer function cell(world, i, j, n, m)
    integer, intent(in) :: n, m, i, j, world(n*m)

    if (i >= 1 .and. j >= 1 .and. i <= n .and. j <= m) then
      cell = world((j - 1)*n + i)
    else
      cell = 0
    end if
  end function cell

  subroutine live(world, next, n, m, steps)
    integer, intent(in) :: n, m, steps
    integer, intent(inout) :: world(n*m), next(n*m)
    integer :: t, i, j, di, dj, living

    do t = 1, steps
      do j = 1, m
        do i = 1, n
          living = 0
          do dj = -1, 1
            do di = -1, 1
              if (di /= 0 .or. dj /= 0) living = living + cell(world, i + di, j + dj, n, m)
            end do
          end do
          next((j - 1)*n + i) = merge(1, 0, living == 3 .or. (living == 2 .and. cell(world, i, j, n, m) == 1))
        end do
      end do
      do i = 1, n*m
        world(i) = next(i)
      end do
    end do
  end subroutine live
end module petri

program main
  use corpus
  use petri
  implicit none
  integer :: nx, ny, nz, steps
  double precision, allocatable :: a(:)
  integer, allocatable :: world(:), next(:)

  do while (next_case(nx, ny, nz, steps))
    call new_array(a, points(nx, ny, 1))
    allocate (world(points(nx, ny, 1)), next(points(nx, ny, 1)))
    world = merge(1, 0, a(1:points(nx, ny, 1)) > 0.1d0)
    next = 0
    call live(world, next, max(nx, 0), max(ny, 0), steps)
    a(1:points(nx, ny, 1)) = world
    deallocate (world, next)
    call dump('world', a)
    call end_case()
  end do
end program main
