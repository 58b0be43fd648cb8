! The sine-Gordon equation, with a source that fades: sin, exp and a power in the body, so that only the CPU's threads can
! run it.
subroutine pendulums(old, now, place, n, steps)
  implicit none
  integer, intent(in) :: n, steps
  double precision, intent(inout) :: old(n), now(n)
  double precision, intent(in) :: place(n)
  double precision :: next(n)
  integer :: t, i

  do t = 1, steps
    do i = 2, n - 1
      next(i) = 2*now(i) - old(i) + 0.2d0*(now(i - 1) - 2*now(i) + now(i + 1)) - 0.01d0*sin(now(i)) &
                + 0.001d0*exp(-place(i)**2)*abs(now(i))**0.8d0
    end do
    do i = 2, n - 1
      old(i) = now(i)
      now(i) = next(i)
    end do
  end do
end subroutine pendulums

program main
  use corpus
  implicit none
  integer :: nx, ny, nz, steps
  double precision, allocatable :: old(:), now(:), place(:)

  do while (next_case(nx, ny, nz, steps))
    call new_array(old, points(nx, 1, 1))
    call new_array(now, points(nx, 1, 1))
    call new_array(place, points(nx, 1, 1))
    call pendulums(old(1), now(1), place(1), nx, steps)
    call dump('old', old)
    call dump('now', now)
    call end_case()
  end do
end program main
