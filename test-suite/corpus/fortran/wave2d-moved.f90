! Three levels change places by move_alloc, through an array of the module that may hold something when the loop begins.
module pool
  implicit none
  double precision, allocatable :: spare(:, :)
contains
  subroutine swing(last, now, next, steps)
    double precision, allocatable, intent(inout) :: last(:, :), now(:, :), next(:, :)
    integer, intent(in) :: steps
    integer :: step, i, j

    do step = 1, steps
      do j = 2, size(now, 2) - 1
        do i = 2, size(now, 1) - 1
          next(i, j) = 2d0*now(i, j) - last(i, j) + 0.2d0*(now(i - 1, j) + now(i + 1, j) + now(i, j - 1) &
                                                           + now(i, j + 1) - 4d0*now(i, j))
        end do
      end do
      call move_alloc(last, spare)
      call move_alloc(now, last)
      call move_alloc(next, now)
      call move_alloc(spare, next)
    end do
  end subroutine swing
end module pool

program main
  use corpus
  use pool
  implicit none
  integer :: nx, ny, nz, steps, all, n, m
  double precision, allocatable :: a(:), b(:), c(:), last(:, :), now(:, :), next(:, :)

  do while (next_case(nx, ny, nz, steps))
    call new_array(a, points(nx, ny, 1))
    call new_array(b, points(nx, ny, 1))
    call new_array(c, points(nx, ny, 1))
    n = max(nx, 0)
    m = max(ny, 0)
    all = n*m
    allocate (last(n, m), now(n, m), next(n, m))
    last = reshape(a(1:all), [n, m])
    now = reshape(b(1:all), [n, m])
    next = reshape(c(1:all), [n, m])
    if (mod(n, 2) == 1) allocate (spare(3, 2))
    call swing(last, now, next, steps)
    if (allocated(spare)) deallocate (spare)
    a(1:all) = reshape(last, [all])
    b(1:all) = reshape(now, [all])
    c(1:all) = reshape(next, [all])
    deallocate (last, now, next)
    call dump('a', a)
    call dump('b', b)
    call dump('c', c)
    call end_case()
  end do
end program main
