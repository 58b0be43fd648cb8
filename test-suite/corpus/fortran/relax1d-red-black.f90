! Over-relaxation of a rod by colours: every other point of one array, then those between them.
subroutine relax(u, source, n, steps, omega)
  implicit none
  integer, intent(in) :: n, steps
  double precision, intent(in) :: source(n), omega
  double precision, intent(inout) :: u(n)
  integer :: t, i

  do t = 1, steps
    do i = 2, n - 1, 2
      u(i) = u(i) + omega*(0.5d0*(u(i - 1) + u(i + 1) + source(i)) - u(i))
    end do
    do i = 3, n - 1, 2
      u(i) = u(i) + omega*(0.5d0*(u(i - 1) + u(i + 1) + source(i)) - u(i))
    end do
  end do
end subroutine relax

program main
  use corpus
  implicit none
  integer :: nx, ny, nz, steps
  double precision, allocatable :: u(:), source(:)

  do while (next_case(nx, ny, nz, steps))
    call new_array(u, points(nx, 1, 1))
    call new_array(source, points(nx, 1, 1))
    call relax(u(1), source(1), nx, steps, 1.25d0)
    call dump('u', u)
    call end_case()
  end do
end program main
