! An allocatable array is looked at by its subscripts and, at the same point, by a function whose dummy argument has its shape
! from the actual one.
module alloy
  implicit none
contains
  pure double precision function driving(con, i, j)
    double precision, intent(in) :: con(:, :)
    integer, intent(in) :: i, j

    driving = 2.0d0*con(i, j)*(1.0d0 - con(i, j))*(1.0d0 - 2.0d0*con(i, j))
  end function driving

  subroutine separate(con, steps)
    double precision, allocatable, intent(inout) :: con(:, :)
    integer, intent(in) :: steps
    double precision, allocatable :: potential(:, :)
    integer :: t, i, j, n, m

    n = size(con, 1)
    m = size(con, 2)
    allocate (potential(n, m))
    potential = 0.0d0
    do t = 1, steps
      do j = 2, m - 1
        do i = 2, n - 1
          potential(i, j) = driving(con, i, j) - 0.5d0*(con(i - 1, j) + con(i + 1, j) + con(i, j - 1) + con(i, j + 1) &
                                                        - 4.0d0*con(i, j))
        end do
      end do
      do j = 3, m - 2
        do i = 3, n - 2
          con(i, j) = con(i, j) + 0.01d0*(potential(i - 1, j) + potential(i + 1, j) + potential(i, j - 1) &
                                          + potential(i, j + 1) - 4.0d0*potential(i, j))
        end do
      end do
    end do
  end subroutine separate
end module alloy

program main
  use corpus
  use alloy
  implicit none
  integer :: nx, ny, nz, steps
  double precision, allocatable :: a(:), con(:, :)

  do while (next_case(nx, ny, nz, steps))
    call new_array(a, points(nx, ny, 1))
    allocate (con(max(nx, 0), max(ny, 0)))
    con = reshape(a(1:points(nx, ny, 1)), [max(nx, 0), max(ny, 0)])
    call separate(con, steps)
    a(1:points(nx, ny, 1)) = reshape(con, [points(nx, ny, 1)])
    deallocate (con)
    call dump('con', a)
    call end_case()
  end do
end program main
