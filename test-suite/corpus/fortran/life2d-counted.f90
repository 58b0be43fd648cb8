! Life that writes down how many are alive in each generation, and ends when as many are as before.
subroutine live(world, n, m, steps, alive, last)
  implicit none
  integer, intent(in) :: n, m, steps
  integer, intent(inout) :: world(n, m)
  double precision, intent(inout) :: alive(steps)
  integer, intent(out) :: last
  integer :: next(n, m)
  integer :: t, i, j, living, total, before

  before = -1
  last = steps
  next = world
  do t = 1, steps
    do j = 2, m - 1
      do i = 2, n - 1
        living = world(i-1, j-1) + world(i-1, j) + world(i-1, j+1) + world(i, j-1) + world(i, j+1) &
                 + world(i+1, j-1) + world(i+1, j) + world(i+1, j+1)
        if (living == 3 .or. (living == 2 .and. world(i, j) == 1)) then
          next(i, j) = 1
        else
          next(i, j) = 0
        end if
      end do
    end do
    world = next
    total = count(world == 1)
    alive(t) = total
    if (total == before) then
      last = t
      exit
    end if
    before = total
  end do
end subroutine live

program main
  use corpus
  implicit none
  integer :: nx, ny, nz, steps, last
  double precision, allocatable :: a(:), alive(:)
  integer, allocatable :: world(:)

  do while (next_case(nx, ny, nz, steps))
    call new_array(a, points(nx, ny, 1))
    call new_array(alive, points(steps, 1, 1))
    allocate (world(max(points(nx, ny, 1), 1)))
    world(1:points(nx, ny, 1)) = merge(1, 0, a(1:points(nx, ny, 1)) > 0.1d0)
    last = 0
    if (nx > 0 .and. ny > 0) call live(world, nx, ny, steps, alive, last)
    a(1:points(nx, ny, 1)) = world(1:points(nx, ny, 1))
    deallocate (world)
    call dump('world', a)
    call dump('alive', alive)
    call end_case()
  end do
end program main
