! A scheme that a module's number chooses, by a chain of conditions that has no last `else`.
module schemes
  implicit none
  integer :: scheme = 1
contains
  subroutine reconstruct(a, b, c, x)
    double precision, intent(in) :: a, b, c
    double precision :: x

    if (scheme == 0) then
      x = b
    else if (scheme == 1) then
      x = b + 0.25d0 * (c - a)
    else if (scheme == 2) then
      x = b + 0.5d0 * (b - a)
    end if
  end subroutine reconstruct

  subroutine run(n, m, steps, u, r)
    integer, intent(in) :: n, m, steps
    double precision, intent(inout) :: u(n, m), r(n, m)
    double precision :: x
    integer :: i, j, t

    do t = 1, steps
      r = 0
      do j = 1, m
        do i = 2, n - 1
          call reconstruct(u(i - 1, j), u(i, j), u(i + 1, j), x)
          r(i, j) = r(i, j) + 0.1d0 * x
          r(i + 1, j) = r(i + 1, j) - 0.1d0 * x
        end do
      end do
      do j = 1, m
        do i = 1, n
          u(i, j) = u(i, j) - 0.2d0 * r(i, j)
        end do
      end do
    end do
  end subroutine run
end module schemes

program main
  use corpus
  use schemes
  implicit none
  integer :: nx, ny, nz, steps, n
  double precision, allocatable :: u(:), r(:)

  n = 0
  do while (next_case(nx, ny, nz, steps))
    scheme = 1 + mod(n, 2)
    n = n + 1
    call new_array(u, points(nx, ny, 1))
    call new_array(r, points(nx, ny, 1))
    call run(nx, ny, steps, u, r)
    call dump('u', u)
    call end_case()
  end do
end program main
