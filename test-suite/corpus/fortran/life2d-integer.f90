! Life on integers in a world without borders: neighbours are found by modulo, and worlds change places by assignment.
subroutine live(world, n, m, steps)
  implicit none
  integer, intent(in) :: n, m, steps
  integer, intent(inout) :: world(n, m)
  integer :: next(n, m)
  integer :: t, i, j, up, down, left, right, living

  do t = 1, steps
    do j = 1, m
      left = modulo(j - 2, m) + 1
      right = modulo(j, m) + 1
      do i = 1, n
        up = modulo(i - 2, n) + 1
        down = modulo(i, n) + 1
        living = world(up, left) + world(up, j) + world(up, right) + world(i, left) + world(i, right) &
                 + world(down, left) + world(down, j) + world(down, right)
        if (living == 3 .or. (living == 2 .and. world(i, j) == 1)) then
          next(i, j) = 1
        else
          next(i, j) = 0
        end if
      end do
    end do
    world = next
  end do
end subroutine live

program main
  use corpus
  implicit none
  integer :: nx, ny, nz, steps
  double precision, allocatable :: a(:)
  integer, allocatable :: world(:)

  do while (next_case(nx, ny, nz, steps))
    call new_array(a, points(nx, ny, 1))
    allocate (world(max(points(nx, ny, 1), 1)))
    world(1:points(nx, ny, 1)) = merge(1, 0, a(1:points(nx, ny, 1)) > 0.1d0)
    if (nx > 0 .and. ny > 0) call live(world, nx, ny, steps)
    a(1:points(nx, ny, 1)) = world(1:points(nx, ny, 1))
    deallocate (world)
    call dump('world', a)
    call end_case()
  end do
end program main
