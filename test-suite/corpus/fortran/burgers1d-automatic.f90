! Burgers' equation: the fluxes of a step are an automatic array, whose size is a variable of the module.
module line
  implicit none
  integer :: n

contains

  subroutine advance(u)
    double precision, intent(inout) :: u(n)
    double precision :: flux(n), left(n)
    integer :: i

    do i = 1, n
      left(i) = u(i)
      flux(i) = 0.5d0*u(i)*u(i)
    end do
    do i = 2, n - 1
      u(i) = left(i) - 0.05d0*(flux(i) - flux(i - 1)) + 0.1d0*(left(i - 1) - 2.0d0*left(i) + left(i + 1))
    end do
  end subroutine advance

  subroutine run(u, steps)
    double precision, intent(inout) :: u(n)
    integer, intent(in) :: steps
    integer :: t

    do t = 1, steps
      call advance(u)
    end do
  end subroutine run
end module line

program main
  use corpus
  use line
  implicit none
  integer :: ny, nz, steps
  double precision, allocatable :: u(:)

  do while (next_case(n, ny, nz, steps))
    call new_array(u, points(n, 1, 1))
    call run(u, steps)
    call dump('u', u)
    call end_case()
  end do
end program main
