! Two pointers that are swapped lead to arrays whose rows lie at other distances: one to every other element of an array.
program main
  use corpus
  implicit none
  integer :: nx, ny, nz, steps, i, j, t
  integer :: told = 0
  double precision :: rate = 0.1d0
  double precision, allocatable, target :: a(:, :), wide(:, :), first(:), second(:), state(:)
  double precision, pointer :: old(:, :), new(:, :), kept(:, :)

  do while (next_case(nx, ny, nz, steps))
    call new_array(first, points(nx, ny, 1))
    call new_array(second, points(nx, ny, 1))
    call new_array(state, points(6, 1, 1))
    allocate (a(nx, ny), wide(2*nx, ny))
    a = reshape(first(1:nx*ny), [nx, ny])
    wide = -1.0d0
    wide(1:2*nx:2, :) = reshape(second(1:nx*ny), [nx, ny])
    old => a
    new => wide(1:2*nx:2, :)
    nullify (kept)
    do t = 1, steps
      do j = 2, ny - 1
        do i = 2, nx - 1
          new(i, j) = old(i, j) + rate*(old(i - 1, j) + old(i + 1, j) + old(i, j - 1) + old(i, j + 1) - 4.0d0*old(i, j))
        end do
      end do
      kept => old
      old => new
      new => kept
      told = told + 1
    end do
    state(1:6) = [merge(1, 0, associated(kept)), merge(1, 0, associated(old, a)), merge(1, 0, associated(new, a)), told, 0, 0]
    if (associated(kept)) state(5:6) = [merge(1, 0, associated(kept, a)), size(kept, 1)]
    first(1:nx*ny) = reshape(a, [nx*ny])
    second(1:nx*ny) = reshape(wide(1:2*nx:2, :), [nx*ny])
    deallocate (a, wide)
    call dump('a', first)
    call dump('b', second)
    call dump('state', state)
    call end_case()
  end do
end program main
