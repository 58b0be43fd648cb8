! Every fifth step keeps its residual in an array of the caller's; each step's residual says whether to go on.
module rod
  implicit none
contains
  subroutine relax(n, u, v, history, steps, taken)
    integer, intent(in) :: n, steps
    double precision, intent(inout) :: u(n), v(n), history(0:)
    integer, intent(out) :: taken
    double precision :: residual
    integer :: t, i
    do t = 0, steps - 1
      residual = 0d0
      do i = 2, n - 1
        v(i) = 0.5d0*(u(i - 1) + u(i + 1))
        residual = residual + (v(i) - u(i))**2
      end do
      do i = 2, n - 1
        u(i) = v(i)
      end do
      if (mod(t, 5) == 0) history(t/5) = residual
      if (residual < 1d-6) exit
    end do
    taken = t
  end subroutine relax
end module rod

program main
  use corpus
  use rod
  implicit none
  integer :: nx, ny, nz, steps, taken
  double precision, allocatable :: u(:), v(:), history(:)

  do while (next_case(nx, ny, nz, steps))
    call new_array(u, points(nx, 1, 1))
    call new_array(v, points(nx, 1, 1))
    call new_array(history, max(steps, 0)/5 + 2)
    call relax(max(nx, 0), u(1:max(nx, 0)), v(1:max(nx, 0)), history, steps, taken)
    history(max(steps, 0)/5 + 2) = taken
    call dump('u', u)
    call dump('v', v)
    call dump('history', history)
    call end_case()
  end do
end program main
