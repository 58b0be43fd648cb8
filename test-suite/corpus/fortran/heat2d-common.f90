! As in FORTRAN 77: grids and what they are swept with lie in one COMMON block, larger than what is used of them; each
! sweep is a subroutine without arguments.
subroutine sweep
  implicit none
  integer, parameter :: most = 160
  integer :: n, m, i, j
  double precision :: u, v, rate
  common /field/ rate, u(most, most), v(most, most)
  common /sizes/ n, m

  do 20 j = 2, m - 1
    do 10 i = 2, n - 1
      v(i, j) = u(i, j) + rate*(u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1) - 4.0d0*u(i, j))
10  continue
20 continue
end subroutine sweep

subroutine keep
  implicit none
  integer, parameter :: most = 160
  integer :: n, m, i, j
  double precision :: u, v, rate
  common /field/ rate, u(most, most), v(most, most)
  common /sizes/ n, m

  do 20 j = 2, m - 1
    do 10 i = 2, n - 1
      u(i, j) = v(i, j)
10  continue
20 continue
end subroutine keep

subroutine heat(steps)
  implicit none
  integer, intent(in) :: steps
  integer :: t

  do t = 1, steps
    call sweep
    call keep
  end do
end subroutine heat

program main
  use corpus
  implicit none
  integer, parameter :: most = 160
  integer :: n, m
  double precision :: u, v, rate
  common /field/ rate, u(most, most), v(most, most)
  common /sizes/ n, m
  integer :: nx, ny, nz, steps
  double precision, allocatable :: a(:), b(:)

  do while (next_case(nx, ny, nz, steps))
    call new_array(a, points(most, most, 1))
    call new_array(b, points(most, most, 1))
    u = reshape(a(1:most*most), [most, most])
    v = reshape(b(1:most*most), [most, most])
    rate = 0.1d0
    n = nx
    m = ny
    call heat(steps)
    a(1:most*most) = reshape(u, [most*most])
    b(1:most*most) = reshape(v, [most*most])
    call dump('u', a)
    call dump('v', b)
    call end_case()
  end do
end program main
