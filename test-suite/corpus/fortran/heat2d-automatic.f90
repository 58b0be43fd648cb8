! Heat on a plate in two half steps, by rows and by columns, each with an automatic array.
subroutine along(u, n, m)
  implicit none
  integer, intent(in) :: n, m
  double precision, intent(inout) :: u(n, m)
  double precision :: v(n, m)
  integer :: i, j

  do j = 1, m
    do i = 2, n - 1
      v(i, j) = u(i, j) + 0.2d0*(u(i - 1, j) - 2.0d0*u(i, j) + u(i + 1, j))
    end do
  end do
  do j = 1, m
    do i = 2, n - 1
      u(i, j) = v(i, j)
    end do
  end do
end subroutine along

subroutine across(u, n, m)
  implicit none
  integer, intent(in) :: n, m
  double precision, intent(inout) :: u(n, m)
  double precision :: flux(n, 0:m)
  integer :: i, j

  do j = 1, m - 1
    do i = 1, n
      flux(i, j) = 0.2d0*(u(i, j + 1) - u(i, j))
    end do
  end do
  do j = 2, m - 1
    do i = 1, n
      u(i, j) = u(i, j) + (flux(i, j) - flux(i, j - 1))
    end do
  end do
end subroutine across

subroutine heat(u, n, m, steps)
  implicit none
  integer, intent(in) :: n, m, steps
  double precision, intent(inout) :: u(n, m)
  integer :: t

  do t = 1, steps
    call along(u, n, m)
    call across(u, n, m)
  end do
end subroutine heat

program main
  use corpus
  implicit none
  integer :: nx, ny, nz, steps
  double precision, allocatable :: u(:)

  do while (next_case(nx, ny, nz, steps))
    call new_array(u, points(nx, ny, 1))
    call heat(u(1), nx, ny, steps)
    call dump('u', u)
    call end_case()
  end do
end program main
