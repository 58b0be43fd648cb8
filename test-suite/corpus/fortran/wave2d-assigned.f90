! Three time levels, two of which are kept by assignment of whole allocatable arrays in each step.
module drum
  implicit none
contains
  subroutine wave(last, now, next, steps)
    double precision, allocatable, intent(inout) :: last(:, :), now(:, :), next(:, :)
    integer, intent(in) :: steps
    integer :: t, i, j

    do t = 1, steps
      do j = 2, size(now, 2) - 1
        do i = 2, size(now, 1) - 1
          next(i, j) = 2.0d0*now(i, j) - last(i, j) &
                       + 0.1d0*(now(i - 1, j) + now(i + 1, j) + now(i, j - 1) + now(i, j + 1) - 4.0d0*now(i, j))
        end do
      end do
      last = now
      now = next
    end do
  end subroutine wave
end module drum

program main
  use corpus
  use drum
  implicit none
  integer :: nx, ny, nz, steps, n, m
  double precision, allocatable :: a(:), b(:), u(:, :), v(:, :), w(:, :)

  do while (next_case(nx, ny, nz, steps))
    call new_array(a, points(nx, ny, 1))
    call new_array(b, points(nx, ny, 1))
    n = max(nx, 0)
    m = max(ny, 0)
    u = reshape(a(1:n*m), [n, m])
    v = reshape(b(1:n*m), [n, m])
    w = v
    call wave(u, v, w, steps)
    a(1:n*m) = reshape(u, [n*m])
    b(1:n*m) = reshape(v, [n*m])
    call dump('u', a)
    call dump('v', b)
    call end_case()
  end do
end program main
