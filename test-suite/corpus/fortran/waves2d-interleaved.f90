! Three components of each cell side by side: the stages of a step in a loop, all components set to zero at an end, and copied.
module waves
  implicit none
contains
  subroutine run(n, m, steps, q, r)
    integer, intent(in) :: n, m, steps
    double precision, intent(inout) :: q(3, n, m), r(3, n, m)
    double precision :: share(3)
    integer :: i, j, t, s

    share = (/ 1d0 / 3, 0.5d0, 1d0 /)
    do t = 1, steps
      r = q
      do s = 1, 3
        do j = 2, m - 1
          do i = 2, n - 1
            r(1, i, j) = q(1, i, j) + share(s) * 0.1d0 * (q(2, i + 1, j) - q(2, i - 1, j) + q(3, i, j + 1) - q(3, i, j - 1))
            r(2, i, j) = q(2, i, j) + share(s) * 0.1d0 * (q(1, i + 1, j) - q(1, i - 1, j))
            r(3, i, j) = q(3, i, j) + share(s) * 0.1d0 * (q(1, i, j + 1) - q(1, i, j - 1))
          end do
        end do
        r(:, :, m) = 0
        call give(n, m, r, q)
      end do
    end do
  end subroutine run

  subroutine give(n, m, from, to)
    integer, intent(in) :: n, m
    double precision, intent(in) :: from(3, n, m)
    double precision, intent(out) :: to(3, n, m)

    to = from
  end subroutine give
end module waves

program main
  use corpus
  use waves
  implicit none
  integer :: nx, ny, nz, steps
  double precision, allocatable :: q(:), r(:)

  do while (next_case(nx, ny, nz, steps))
    call new_array(q, points(nx, ny, 3))
    call new_array(r, points(nx, ny, 3))
    call run(nx, ny, steps, q, r)
    call dump('q', q)
    call dump('r', r)
    call end_case()
  end do
end program main
