! A flag that starts true is joined with what each point says: all have come to rest.
module plate
  implicit none
contains
  subroutine laplace(n, m, u, v, most, taken)
    integer, intent(in) :: n, m, most
    double precision, intent(inout) :: u(n, m), v(n, m)
    integer, intent(out) :: taken
    logical :: rest
    integer :: t, i, j
    do t = 1, most
      rest = .true.
      do j = 2, m - 1
        do i = 2, n - 1
          v(i, j) = 0.25d0*(u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1))
          rest = rest .and. abs(v(i, j) - u(i, j)) < 1d-2
        end do
      end do
      do j = 2, m - 1
        do i = 2, n - 1
          u(i, j) = v(i, j)
        end do
      end do
      if (rest) exit
    end do
    taken = t
  end subroutine laplace
end module plate

program main
  use corpus
  use plate
  implicit none
  integer :: nx, ny, nz, steps, taken
  double precision, allocatable :: u(:), v(:), counted(:)

  do while (next_case(nx, ny, nz, steps))
    call new_array(u, points(nx, ny, 1))
    call new_array(v, points(nx, ny, 1))
    call new_array(counted, 1)
    call laplace(max(nx, 0), max(ny, 0), u, v, steps, taken)
    counted(1) = taken
    call dump('u', u)
    call dump('v', v)
    call dump('counted', counted)
    call end_case()
  end do
end program main
