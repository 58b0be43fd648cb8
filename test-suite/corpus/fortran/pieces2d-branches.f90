! Branches that store, of which some also read what they store to: by place, and by what a cell is made of.
subroutine relax(a, b, n, m, steps)
  implicit none
  integer, intent(in) :: n, m, steps
  double precision, intent(in) :: a(n, m)
  double precision, intent(inout) :: b(n, m)
  integer :: t, i, j, kind(n, m)

  kind = mod(int(abs(a)*1000.0d0), 4)
  do t = 1, steps
    do j = 2, m - 1
      do i = 2, n - 1
        if ((i - 8)**2 + (j - 9)**2 < 25) then
          b(i, j) = a(i, j)
        else
          b(i, j) = b(i, j) + 0.1d0*(a(i, j) - b(i, j))
        end if
      end do
    end do
    do j = 2, m - 1
      do i = 2, n - 1
        select case (kind(i, j))
        case (0)
          b(i, j) = a(i - 1, j)
        case (1)
          b(i, j) = 0.5d0*b(i, j)
        case (2)
          b(i, j) = b(i, j) - 0.25d0*a(i + 1, j)
        case default
          b(i, j) = 0.25d0*(a(i, j - 1) + a(i, j + 1))
        end select
      end do
    end do
  end do
end subroutine relax

program main
  use corpus
  implicit none
  integer :: nx, ny, nz, steps
  double precision, allocatable :: a(:), b(:)

  do while (next_case(nx, ny, nz, steps))
    call new_array(a, points(nx, ny, 1))
    call new_array(b, points(nx, ny, 1))
    call relax(a(1), b(1), nx, ny, steps)
    call dump('a', a)
    call dump('b', b)
    call end_case()
  end do
end program main
